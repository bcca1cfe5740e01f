// Writes and prints the `<script integrity>` value of the script-tag build.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const SCRIPT = 'embedded-sessions.iife.js';
const dist = new URL('dist/', import.meta.url);
const digest = createHash('sha384')
  .update(readFileSync(new URL(SCRIPT, dist)))
  .digest('base64');
const integrity = { [SCRIPT]: `sha384-${digest}` };
writeFileSync(new URL('integrity.json', dist), `${JSON.stringify(integrity, null, 2)}\n`);
process.stdout.write(`${SCRIPT} sha384-${digest}\n`);
