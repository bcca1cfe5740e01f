// Refuses to pack a package with an incomplete dist. Run as `prepack` in the package's folder.
import { existsSync, readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
/** @returns {string[]} every path in the manifest */
const paths = (value) =>
  typeof value === 'string'
    ? value.startsWith('./')
      ? [value]
      : []
    : Object.values(value ?? {}).flatMap(paths);
const { main, module, types, bin, unpkg, exports } = manifest;
const missing = [...new Set(paths({ main, module, types, bin, unpkg, exports }))].filter(
  (path) => !existsSync(path),
);
if (missing.length > 0) {
  console.error(`${manifest.name}: ${missing.join(', ')} missing. Build first: npx -y pnpm@12 build`);
  process.exit(1);
}
