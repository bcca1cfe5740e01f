// Writes and prints the `<script integrity>` values of the script-tag build.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const dist = new URL('dist/', import.meta.url);
const integrity = {};
for (const file of ['embedded-sessions.iife.js', 'embedded-sessions.undeclared.js']) {
  const digest = createHash('sha384').update(readFileSync(new URL(file, dist)));
  integrity[file] = `sha384-${digest.digest('base64')}`;
  process.stdout.write(`${file} ${integrity[file]}\n`);
}
writeFileSync(new URL('integrity.json', dist), `${JSON.stringify(integrity, null, 2)}\n`);
