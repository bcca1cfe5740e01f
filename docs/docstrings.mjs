// Finds public exports without a docstring, and functions and classes without an @example.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './repository.mjs';

const LIBRARIES = ['loader', 'react', 'server', 'server-types'];

/** @returns {string[]} what is missing */
export function undocumented() {
  const entries = LIBRARIES.flatMap((name) => {
    const folder = join(ROOT, 'packages', name);
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    // `./internal` is only for the other packages.
    return Object.entries(exports)
      .flatMap(([path, entry]) => (path === './internal' ? [] : (entry.import?.types ?? [])))
      .map((file) => join(folder, file));
  }).filter((file) => existsSync(file));
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    jsx: ts.JsxEmit.ReactJSX,
    types: [],
  });
  const checker = program.getTypeChecker();
  return entries.flatMap((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
    const where = entry.slice(ROOT.length).replace('/dist/', '/src/').replace('.d.ts', '');
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
      if (text === '') return [`${where}: ${exported.name} has no docstring`];
      const needsExample = symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class);
      const hasExample = symbol.getJsDocTags(checker).some(({ name }) => name === 'example');
      return needsExample && !hasExample ? [`${where}: ${exported.name} has no @example`] : [];
    });
  });
}
