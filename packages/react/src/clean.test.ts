// @vitest-environment node
// @module-tag thorough
// The sources follow the rules of hooks, and the React Compiler compiles every component and hook.
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@babel/core';
import parser from '@babel/eslint-parser';
import compiler from 'babel-plugin-react-compiler';
import { Linter } from 'eslint';
import hooks from 'eslint-plugin-react-hooks';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));
const sources = readdirSync(folder).filter((name) => /^[a-z-]+\.tsx?$/.test(name));
/** Merchants' apps, relative to this folder. */
const EXAMPLES = ['../../../examples/react-app/src', '../../../examples/next-app/app'].flatMap((path) =>
  readdirSync(`${folder}/${path}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${path}/${name}`),
);
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');

function compiled(source: string, filename: string): string[] {
  const functions: string[] = [];
  transformSync(source, {
    filename,
    babelrc: false,
    configFile: false,
    code: false,
    parserOpts: { plugins: ['typescript', 'jsx'] },
    plugins: [
      [
        compiler,
        {
          panicThreshold: 'all_errors',
          logger: {
            logEvent: (_file: string, event: { kind: string; fnName?: string }) => {
              if (event.kind === 'CompileSuccess') functions.push(event.fnName ?? '?');
            },
          },
        },
      ],
    ],
  });
  return functions;
}

function complaints(source: string, filename: string): (string | null)[] {
  return new Linter()
    .verify(
      source,
      {
        ...hooks.configs.flat['recommended-latest'],
        files: ['**/*.ts', '**/*.tsx'],
        languageOptions: {
          parser,
          parserOptions: {
            requireConfigFile: false,
            babelOptions: {
              babelrc: false,
              configFile: false,
              parserOpts: { plugins: ['typescript', 'jsx'] },
            },
          },
        },
      },
      { filename: basename(filename) },
    )
    .map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

const BROKEN = `export function useBroken(items) {
  if (items.length) useState(0);
  items.push(1);
  return items;
}`;

describe('the checks themselves', () => {
  it('find violations', () => {
    expect(() => compiled(BROKEN, 'broken.ts')).toThrow(/Hooks must always be called/);
    expect(complaints(BROKEN, 'broken.ts').join('\n')).toMatch(/react-hooks\/rules-of-hooks/);
  });
});

it('every component and hook is compiled', () => {
  const functions = sources.flatMap((name) => compiled(read(name), `${folder}/${name}`));
  expect(functions.toSorted()).toEqual([
    'EmbeddedFlow',
    'EmbeddedProvider',
    'FakeEmbeddedProvider',
    'InlineFlow',
    'useController',
    'useEmbeddedFlow',
    'useEmbeddedPayment',
    'useFlow',
  ]);
});

// The plugin runs the compiler too, and reports what it refuses.
it('eslint-plugin-react-hooks reports nothing', () => {
  expect([...sources, ...EXAMPLES].flatMap((name) => complaints(read(name), name))).toEqual([]);
});

it('the controller does not import React', () => {
  for (const name of ['error.ts', 'flow-state.ts', 'controller.ts', 'inline.ts']) {
    expect(read(name), name).not.toMatch(/from 'react/);
  }
});
