// Checks a merchant's code against the packed tarballs: compiles it with common TypeScript versions and module resolutions,
// bundles it with common bundlers, and runs it.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run, step, twoAtATime } from './steps.mjs';

const require = createRequire(new URL('../e2e/package.json', import.meta.url));
const folderOf = (name) => dirname(require.resolve(`${name}/package.json`));

const COMPILE = new URL('compile-consumer.mjs', import.meta.url).pathname;
const COMPILERS = { 5.4: 'typescript-5.4', 5.9: 'typescript-5.9', 6: 'typescript-6', 7: 'typescript' };
/** Each row is one compilation. `type` is the consumer's package type, so node16 and nodenext cover ESM and CJS. */
const RESOLUTIONS = [
  { module: 'esnext', moduleResolution: 'bundler', type: 'module' },
  { module: 'node16', moduleResolution: 'node16', type: 'module' },
  { module: 'node16', moduleResolution: 'node16', type: 'commonjs' },
  { module: 'nodenext', moduleResolution: 'nodenext', type: 'module' },
  { module: 'nodenext', moduleResolution: 'nodenext', type: 'commonjs' },
];

const PAGE = `
import { createLoader, environmentOf, isLoaderError, type FlowResult, type Loader } from '@embedded-sessions/loader';
import { createFakeLoader } from '@embedded-sessions/loader/testing';
import type { ButtonResult } from '@embedded-sessions/loader/script';
import { EmbeddedFlow, EmbeddedProvider, useEmbeddedPayment, type SessionSource } from '@embedded-sessions/react';
import { FakeEmbeddedProvider } from '@embedded-sessions/react/testing';
import type { EmbeddedFlowElementProps } from '@embedded-sessions/react/jsx';
import { createElement, type JSX } from 'react';

export const loader: Loader = createLoader({
  environment: 'staging',
  loaderUrl: 'https://staging.operator.example/app/embedded.loader.js',
});
export const found: 'staging' | 'production' | null = environmentOf('https://staging.operator.example/s/stg_1', {
  environment: 'staging',
  loaderUrl: 'https://staging.operator.example/app/embedded.loader.js',
});
export async function checkout(url: string): Promise<FlowResult['status']> {
  try {
    const result = await (await loader.load()).completePayment(url);
    return result.status;
  } catch (error) {
    if (isLoaderError(error) && error.code === 'environment_mismatch') return 'unknown';
    throw error;
  }
}
// Code of a merchant's library that exports inferred types, to check that declarations can be emitted.
export function usePay() {
  const { pay } = useEmbeddedPayment();
  return (...args: Parameters<typeof pay>) => pay(...args);
}
export const isFactory = (source: SessionSource) => (typeof source === 'function' ? source : undefined);
export const payByTag = (url: string): Promise<ButtonResult> => globalThis.EmbeddedSessions.completePayment(url);
export const props: JSX.IntrinsicElements['embedded-flow'] & EmbeddedFlowElementProps = { flow: 'wallet', session: null };
export const element = createElement('embedded-flow', props);
export const parts = [createFakeLoader, EmbeddedFlow, EmbeddedProvider, useEmbeddedPayment, FakeEmbeddedProvider];
console.log(JSON.stringify({ found, state: loader.state, parts: parts.length }));
`;

const BACKEND = `
import { createServiceClient, ServiceError, verifyWebhook } from '@embedded-sessions/server';
import { FLOWS, MAX_CHARGES, checkPaymentRules, type PaymentSessionRequest } from '@embedded-sessions/server-types';
import { paymentSessionRequestSchema } from '@embedded-sessions/server-types/schemas';

export const request: PaymentSessionRequest = {
  BusinessUnitSlug: 'harborlight-water',
  Channel: 'QuickPay',
  Charges: [{ Amount: 1234 }],
};
export const client = createServiceClient({
  environment: 'staging',
  baseUrl: 'https://staging.operator.example',
  apiKey: 'stg_key',
});
export async function pay(): Promise<string> {
  try {
    return (await client.payments.create(request)).sessionUrl;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'validation') return '';
    throw error;
  }
}
export const rest = [verifyWebhook, FLOWS, MAX_CHARGES, paymentSessionRequestSchema];
console.log(JSON.stringify({ problems: checkPaymentRules(request).length }));
`;

const OPERATOR = `
import { createTestService, type PaymentProcessor } from '@embedded-sessions/service';
import { checkProcessor } from '@embedded-sessions/service/processor-kit';

export const check = (processor: PaymentProcessor) => checkProcessor(processor);
export const clock = async () => (await createTestService()).control;
`;

/** @param {string[]} tarballs @returns {Promise<boolean>} */
export async function checkConsumers(tarballs) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'consumers-')));
  let ok = true;
  const check = async (name, work) => (ok = (await step(name, work)) && ok);
  try {
    await install(root, tarballs);
    writeFileSync(join(root, 'page.ts'), PAGE);
    writeFileSync(join(root, 'backend.ts'), BACKEND);
    await twoAtATime(Object.entries(COMPILERS), ([version, alias]) =>
      check(`typescript ${version}`, () => compile(root, version, folderOf(alias))),
    );
    await check("the README's examples compile", () => compileReadme(root));
    await check("the service's declarations compile", () => compileOperator(root));
    for (const [name, bundle] of Object.entries(BUNDLERS)) {
      await check(`bundle with ${name}, then run`, () => bundleAndRun(root, name, bundle));
    }
    await check('node: import and require', () => nodeRuns(root));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return ok;
}

async function install(root, tarballs) {
  const scope = join(root, 'node_modules/@embedded-sessions');
  mkdirSync(join(root, 'node_modules/@types'), { recursive: true });
  for (const tarball of tarballs) {
    const folder = join(scope, /embedded-sessions-(.+)-\d+\.\d+\.\d+\.tgz$/.exec(tarball)[1]);
    mkdirSync(folder, { recursive: true });
    const { code, output } = await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
    if (code !== 0) throw new Error(`cannot unpack ${tarball}: ${output}`);
  }
  for (const name of ['react', 'react-dom', 'zod', '@types/react', '@types/node']) {
    symlinkSync(folderOf(name), join(root, 'node_modules', name));
  }
}

async function compile(root, version, compiler) {
  const folders = RESOLUTIONS.map((resolution) => merchant(root, version, resolution));
  if (existsSync(join(compiler, 'lib/typescript.js'))) {
    return run('node', [COMPILE, compiler, ...folders], { cwd: root });
  }
  // TypeScript 7 has no JavaScript API.
  let code = 0;
  let output = '';
  for (const folder of folders) {
    const options = ['-p', folder, '--pretty', 'false', '--singleThreaded'];
    const result = await run('node', [join(compiler, 'bin/tsc'), ...options], { cwd: folder });
    const ours = result.output
      .split('\n')
      .filter((line) => /^(page|backend)\.ts|@embedded-sessions/.test(line));
    if (ours.length > 0 || (result.code !== 0 && !/error TS/.test(result.output))) {
      code = 1;
      output += `${folder}:\n${ours.join('\n') || result.output}\n`;
    }
  }
  return { code, output };
}

/** A folder with the merchant's two files, and a tsconfig.json for one module resolution. */
function merchant(root, version, { module, moduleResolution, type }) {
  const folder = join(root, `typescript-${version}-${moduleResolution}-${type}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'page.ts'), PAGE);
  writeFileSync(join(folder, 'backend.ts'), BACKEND);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'merchant', private: true, type }));
  const compilerOptions = {
    module,
    moduleResolution,
    strict: true,
    // A merchant's library must be able to name the types that it exports.
    declaration: true,
    emitDeclarationOnly: true,
    outDir: 'declarations',
    target: 'es2022',
    jsx: 'react-jsx',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    // Checks the packages' own declarations (no skipLibCheck), but not TypeScript's.
    skipDefaultLibCheck: true,
  };
  const tsconfig = { compilerOptions, files: ['page.ts', 'backend.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  return folder;
}

/** The root README's complete examples: those with imports. */
function compileReadme(root) {
  const folder = join(root, 'readme');
  mkdirSync(folder);
  const examples = readFileSync('README.md', 'utf8').matchAll(/^```(tsx?)\n(import [^]*?)^```$/gm);
  const files = [...examples].map(([, extension, code], index) => {
    const file = `example-${index}.${extension}`;
    writeFileSync(join(folder, file), code);
    return file;
  });
  if (files.length < 2) return { code: 1, output: 'README.md: the examples were not found' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const compilerOptions = {
    module: 'nodenext',
    strict: true,
    noEmit: true,
    jsx: 'react-jsx',
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return run('node', [join(folderOf('typescript'), 'bin/tsc'), '-p', folder, '--pretty', 'false']);
}

/** Checks the service's declarations with the packages that it depends on, and no others. */
function compileOperator(root) {
  const folder = join(root, 'operator');
  mkdirSync(folder);
  const service = join(root, 'node_modules/@embedded-sessions/service');
  const { dependencies } = JSON.parse(readFileSync(join(service, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies).filter((name) => !name.startsWith('@embedded-sessions/'))) {
    const link = join(service, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(realpathSync(join('packages/service/node_modules', name)), link);
  }
  writeFileSync(join(folder, 'operator.ts'), OPERATOR);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, types: ['node'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['operator.ts'] }));
  return run('node', [join(folderOf('typescript'), 'bin/tsc'), '-p', folder, '--pretty', 'false']);
}

const BUNDLERS = {
  async vite(root, input, file) {
    const { build } = await import(require.resolve('vite'));
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: input,
        outDir: dirname(file),
        emptyOutDir: false,
        rolldownOptions: { output: { entryFileNames: 'vite.mjs' } },
      },
      ssr: { noExternal: true },
    });
  },
  async rollup(root, input, file) {
    const { rollup } = require('rollup');
    const { nodeResolve } = require('@rollup/plugin-node-resolve');
    const bundle = await rollup({
      input,
      external: ['react', 'react/jsx-runtime'],
      plugins: [nodeResolve()],
      onwarn() {},
    });
    await bundle.write({
      dir: dirname(file),
      entryFileNames: 'rollup.mjs',
      chunkFileNames: 'rollup-[name].mjs',
      format: 'es',
    });
    await bundle.close();
  },
  async esbuild(root, input, file) {
    await require('esbuild').build({
      entryPoints: [input],
      bundle: true,
      format: 'esm',
      external: ['react'],
      outfile: file,
      logLevel: 'silent',
    });
  },
  async webpack(root, input, file) {
    const webpack = require('webpack');
    const compiler = webpack({
      mode: 'production',
      context: root,
      entry: input,
      target: 'node20',
      experiments: { outputModule: true },
      output: { path: dirname(file), filename: 'webpack.mjs', library: { type: 'module' } },
    });
    const stats = await new Promise((resolve, reject) =>
      compiler.run((error, stats) => (error ? reject(error) : resolve(stats))),
    );
    if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }));
  },
};

async function bundleAndRun(root, name, bundle) {
  const input = await javascript(root, 'page');
  const file = join(root, 'out', `${name}.mjs`);
  mkdirSync(dirname(file), { recursive: true });
  try {
    await bundle(root, input, file);
  } catch (error) {
    return { code: 1, output: String(error) };
  }
  return runs(file, { found: 'staging', state: 'idle', parts: 5 });
}

async function nodeRuns(root) {
  const expected = { page: { found: 'staging', state: 'idle', parts: 5 }, backend: { problems: 0 } };
  for (const [name, answer] of Object.entries(expected)) {
    for (const format of ['esm', 'cjs']) {
      const result = await runs(await javascript(root, name, format), answer);
      if (result.code !== 0) return { code: 1, output: `${name} as ${format}: ${result.output}` };
    }
  }
  return { code: 0, output: '' };
}

/** The consumer's source without types, with imports unchanged. */
async function javascript(root, name, format = 'esm') {
  const outfile = join(root, `${name}.${format === 'esm' ? 'mjs' : 'cjs'}`);
  await require('esbuild').build({
    entryPoints: [join(root, `${name}.ts`)],
    format,
    outfile,
    logLevel: 'silent',
  });
  return outfile;
}

async function runs(file, expected) {
  const { code, output } = await run('node', [file]);
  if (code === 0 && output.trim() === JSON.stringify(expected)) return { code, output };
  return { code: 1, output: `expected ${JSON.stringify(expected)}, got (exit ${code}): ${output}` };
}
