// Generates docs/reference/PACKAGE with TypeDoc.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { ROOT } from './repository.mjs';

const LIBRARIES = ['loader', 'react', 'server', 'server-types'];
const out = join(ROOT, 'docs/reference');

/** Maps a package's exports to source files: `./dist/testing.d.ts` to `src/testing.ts`. */
function entryPoints(name) {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
  return Object.values(exports)
    .flatMap((entry) => entry.import?.types ?? [])
    .map((types) => types.replace('./dist/', 'src/').replace('.d.ts', '.ts'))
    .map((file) => (existsSync(join(ROOT, 'packages', name, file)) ? file : `${file}x`));
}

/** Rejects if TypeDoc reports an error. */
export async function writeApiReference() {
  for (const name of LIBRARIES) {
    rmSync(join(out, name), { recursive: true, force: true });
    const folder = join(ROOT, 'packages', name);
    const app = await Application.bootstrapWithPlugins({
      name: `@embedded-sessions/${name}`,
      entryPoints: entryPoints(name).map((file) => join(folder, file)),
      tsconfig: join(folder, 'tsconfig.json'),
      basePath: join(folder, 'src'),
      displayBasePath: join(folder, 'src'),
      out: join(out, name),
      plugin: ['typedoc-plugin-markdown'],
      router: 'module',
      entryFileName: 'modules',
      readme: 'none',
      excludePrivate: true,
      excludeInternal: true,
      disableSources: true,
      hideBreadcrumbs: true,
      hidePageHeader: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      typeDeclarationFormat: 'table',
      validation: { notExported: false, invalidLink: true },
      logLevel: 'Warn',
    });
    const project = await app.convert();
    if (project === undefined) throw new Error(`TypeDoc could not read packages/${name}.`);
    await app.generateOutputs(project);
    if (app.logger.hasErrors()) throw new Error(`TypeDoc: packages/${name}`);
    nameModules(name);
  }
}

/** Titles each module's page with its import path. */
function nameModules(name) {
  for (const file of readdirSync(join(out, name))) {
    const path = join(out, name, file);
    if (file === 'modules.md') rmSync(path);
    else {
      const subpath = { 'index.md': '', 'global.md': '/script' }[file] ?? `/${file.replace('.md', '')}`;
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(/^# .*/, `# @embedded-sessions/${name}${subpath}`),
      );
    }
  }
}
