/** The built files of the hosted pages: which of them a page needs, and `/assets/*` itself. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface ManifestEntry {
  file: string;
  imports?: string[];
  css?: string[];
}

/** Names of files under `assets/`. */
export interface PageAssets {
  script: string;
  /** Modules that the script needs, to be fetched beside it. */
  modules: string[];
  styles: string[];
}

export interface HostedAssets {
  /** What a page's HTML refers to. `page` is a folder of `browser/pages`, `language` a catalog of its `text`. */
  page(page: string, language: string): PageAssets;
  /** One file, in brotli where `brotli` is asked for and worth it; null when there is no such file. */
  file(
    name: string,
    brotli: boolean,
  ): { body: Uint8Array<ArrayBuffer>; type: string; brotli: boolean } | null;
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Where `node tools/build.mjs service` puts the pages. */
export function builtPages(): string {
  const manifest = createRequire(import.meta.url).resolve('@embedded-sessions/service/package.json');
  return join(dirname(manifest), 'dist', 'pages');
}

/** Reads the build into memory; throws, saying what to run, where there is none. */
export function readAssets(folder: string): HostedAssets {
  const manifestFile = join(folder, '.vite', 'manifest.json');
  if (!existsSync(manifestFile)) {
    throw new Error(`The hosted pages are not built: no ${manifestFile}. Run \`npx -y pnpm@12 build\`.`);
  }
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, ManifestEntry>;
  const assets = join(folder, 'assets');
  const files = new Map(
    readdirSync(assets).map((name) => [name, new Uint8Array(readFileSync(join(assets, name)))] as const),
  );
  const styles = [...files.keys()].filter((name) => name.endsWith('.css'));

  const collect = (key: string, into: Set<string>): void => {
    const entry = manifest[key];
    if (entry === undefined)
      throw new Error(`The build of the hosted pages has no ${key}: build them again.`);
    const name = entry.file.replace(/^assets\//, '');
    if (into.has(name)) return;
    into.add(name);
    for (const next of entry.imports ?? []) collect(next, into);
  };

  return {
    page(page, language) {
      const needed = new Set<string>();
      collect(`src/browser/pages/${page}/main.tsx`, needed);
      const [script, ...modules] = needed;
      const catalog = new Set<string>();
      collect(`src/browser/pages/text/${language}.ts`, catalog);
      return { script: script as string, modules: [...new Set([...modules, ...catalog])], styles };
    },
    file(name, brotli) {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      if (type === undefined) return null;
      const compressed = brotli ? files.get(`${name}.br`) : undefined;
      const body = compressed ?? files.get(name);
      return body === undefined ? null : { body, type, brotli: compressed !== undefined };
    },
  };
}
