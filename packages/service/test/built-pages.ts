/** A minimal build of the hosted pages, so that unit tests need no build. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from '../../../tools/at-end.mjs';

/** Writes a build folder with the payment page and the problem page. */
export function writePages(): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-sessions-pages-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, '.vite'));
  mkdirSync(join(folder, 'assets'));
  const entry = (file: string, imports: string[] = [], css: string[] = []) => ({
    file: `assets/${file}`,
    imports,
    css,
  });
  writeFileSync(
    join(folder, '.vite/manifest.json'),
    JSON.stringify({
      '_app.js': entry('app-1.js', [], ['assets/app-1.css']),
      'src/pages/flows/payment/main.tsx': entry('payment-1.js', ['_app.js']),
      'src/pages/flows/problem/main.tsx': entry('problem-1.js', ['_app.js']),
      'locales/payment.en.js': entry('en-1.js'),
      'locales/after.en.js': entry('after-en-1.js'),
      'locales/after.ar.js': entry('after-ar-1.js'),
      'locales/payment.ar.js': entry('ar-1.js'),
      'locales/after.es.js': entry('after-es-1.js'),
      'locales/payment.es.js': entry('es-1.js'),
      'locales/after.ar-XB.js': entry('after-ar-XB-1.js'),
      'locales/payment.ar-XB.js': entry('ar-XB-1.js'),
      'locales/problem.en.js': entry('problem-en-1.js'),
    }),
  );
  writeFileSync(join(folder, 'first-script.js'), 'begin();\n');
  writeFileSync(join(folder, 'warm-script.js'), 'wait();\n');
  writeFileSync(join(folder, 'assets/app-1.js'), 'export {};');
  writeFileSync(join(folder, 'assets/app-1.js.br'), 'compressed');
  writeFileSync(join(folder, 'assets/app-1.js.gz'), 'gzipped');
  return folder;
}
