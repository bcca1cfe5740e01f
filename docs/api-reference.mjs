// docs/reference/PACKAGE, written by TypeDoc from the sources of the four libraries.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { ROOT } from './repository.mjs';

const LIBRARIES = ['loader', 'react', 'server', 'server-types'];
const out = join(ROOT, 'docs/reference');

/** The sources that a package exports: `./dist/testing.d.ts` comes from `src/testing.ts`. */
function entryPoints(name) {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
  return Object.values(exports)
    .flatMap((entry) => entry.import?.types ?? [])
    .map((types) => types.replace('./dist/', 'src/').replace('.d.ts', '.ts'))
    .map((file) => (existsSync(join(ROOT, 'packages', name, file)) ? file : `${file}x`));
}

/** @returns {Promise<void>} rejects where TypeDoc found something wrong */
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

/** Names each module by its import path. */
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
