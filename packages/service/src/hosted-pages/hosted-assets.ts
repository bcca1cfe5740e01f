/** The built files of the hosted pages, and which of them each page needs. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { catalogOf } from '../texts/catalogs.js';
import { join } from 'node:path';
import type { Encoding } from './headers.js';

interface ManifestEntry {
  file: string;
  imports?: string[];
  css?: string[];
}

/** Names of files under `assets/`. */
export interface PageAssets {
  script: string;
  /** The page's texts, imported by its script. */
  catalog: string;
  /** The payment page's texts after its first form. */
  after?: string;
  /** Modules to preload: those that script and catalog import. */
  modules: string[];
  styles: string[];
  /** The script inside the HTML itself. */
  firstScript: string;
}

export interface HostedAssets {
  /** The files that a page's HTML refers to. `page` is a folder of `packages/hosted/src/pages/flows`, `language` one of {@link PageLanguage}. */
  page(page: string, language: string): PageAssets;
  readonly warmScript: string;
  /** Returns a file, in this encoding if the build contains it, or null. */
  file(
    name: string,
    encoding: Encoding,
  ): { body: Uint8Array<ArrayBuffer>; type: string; encoding: Encoding } | null;
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Files that the build wrote next to each file. */
const SUFFIXES: Readonly<Partial<Record<Encoding, string>>> = { br: '.br', gzip: '.gz' };

/** Reads the build into memory. If it is missing, throws an error with the build command. */
export function readAssets(folder: string): HostedAssets {
  const manifests = join(folder, '.vite');
  if (!existsSync(manifests)) {
    throw new Error(`The hosted pages are not built: no ${manifests}. Run \`npx -y pnpm@12 build\`.`);
  }
  const manifest = Object.assign(
    {},
    ...readdirSync(manifests).map((name) => JSON.parse(readFileSync(join(manifests, name), 'utf8'))),
  ) as Record<string, ManifestEntry>;
  const assets = join(folder, 'assets');
  const files = new Map(
    readdirSync(assets).map((name) => [name, new Uint8Array(readFileSync(join(assets, name)))] as const),
  );

  const inline = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  const firstScript = inline('first-script.js');

  const withImports = (key: string, into: Set<string> = new Set()): Set<string> => {
    const entry = manifest[key];
    if (entry === undefined)
      throw new Error(`The build of the hosted pages has no ${key}: build them again.`);
    if (into.has(key)) return into;

    into.add(key);
    for (const next of entry.imports ?? []) withImports(next, into);
    // Its styles override those of what it imports.
    into.delete(key);
    return into.add(key);
  };
  const fileOf = (key: string): string => nameOf(manifest[key]?.file ?? '');

  return {
    warmScript: inline('warm-script.js'),
    page(page, language) {
      const part = catalogOf(page);
      const script = `src/pages/flows/${page}/main.tsx`;
      const catalog = `locales/${part}.${language}.js`;
      const needed = new Set([...withImports(script), ...withImports(catalog)]);
      const styles = [...needed].flatMap((key) => manifest[key]?.css ?? []).map(nameOf);
      const modules = [...needed].filter((key) => key !== script && key !== catalog).map(fileOf);
      return {
        ...(page === 'payment' && { after: fileOf(`locales/after.${language}.js`) }),
        script: fileOf(script),
        catalog: fileOf(catalog),
        modules,
        styles: [...new Set(styles)],
        firstScript,
      };
    },
    file(name, encoding) {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
      const plain = files.get(name);
      if (type === undefined || plain === undefined) return null;

      const suffix = SUFFIXES[encoding];
      const compressed = suffix === undefined ? undefined : files.get(name + suffix);
      return compressed === undefined
        ? { body: plain, type, encoding: 'identity' }
        : { body: compressed, type, encoding };
    },
  };
}

function nameOf(file: string): string {
  return file.replace(/^assets\//, '');
}
