// `node tools/sbom.mjs` prints a CycloneDX SBOM of the published packages, `node tools/sbom.mjs service` of one. Contains
// their dependencies according to pnpm, and bundled code, which pnpm lists only as development dependencies.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

process.chdir(new URL('..', import.meta.url).pathname);

const names = process.argv.slice(2);
const packages = names.length > 0 ? names : ['loader', 'react', 'server', 'server-types', 'service'];
const filters = packages.flatMap((name) => ['--filter', `./packages/${name}`]);
const args = [...filters, 'sbom', '--sbom-format', 'cyclonedx', '--prod'];
const sbom = JSON.parse(
  execFileSync('pnpm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
);
const components = new Map(sbom.components.map((component) => [component.purl, component]));

const bundles = globSync(packages.map((name) => `packages/${name}/dist/third-party-licenses.md`));
for (const file of bundles) {
  const sections = readFileSync(file, 'utf8').matchAll(/^## (\S+) (\S+)\n\n(\S+)$/gm);

  for (const [, name, version, license] of sections) {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    if (components.has(purl)) continue;

    const licenses = [{ license: { id: license } }];
    components.set(purl, { type: 'library', name, version, purl, 'bom-ref': purl, licenses });
  }
}

console.log(JSON.stringify({ ...sbom, components: [...components.values()] }, null, 2));
