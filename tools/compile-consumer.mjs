// Compiles projects with one JavaScript compiler in one process: `node tools/compile-consumer.mjs <typescript> <folder…>`
// Reads the compiler's own declarations once for all projects. Checks the merchant's files and the packages' declarations,
// but not React's.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [compiler, ...folders] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(join(compiler, 'lib/typescript.js'));
const libraries = new Map();

function compile(folder) {
  const file = join(folder, 'tsconfig.json');
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(file, ts.sys.readFile).config,
    ts.sys,
    folder,
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile, getDefaultLibLocation } = host;
  const libraryFolder = getDefaultLibLocation();
  host.getCurrentDirectory = () => folder;
  host.getSourceFile = (name, ...rest) => {
    if (!name.startsWith(libraryFolder)) return getSourceFile(name, ...rest);
    if (!libraries.has(name)) libraries.set(name, getSourceFile(name, ...rest));
    return libraries.get(name);
  };
  const program = ts.createProgram(fileNames, options, host);
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileNames.includes(fileName) || fileName.includes('@embedded-sessions'));
  if (ours.length <= fileNames.length)
    throw new Error(`${folder}: the packages' declarations were not found`);
  return [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
      ...(source.isDeclarationFile ? [] : program.getDeclarationDiagnostics(source)),
    ]),
  ];
}

const problems = folders.flatMap(compile);
const format = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => '\n',
};
process.stdout.write(ts.formatDiagnostics(problems, format));
process.exitCode = problems.length === 0 ? 0 : 1;
