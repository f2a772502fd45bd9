// The rules of the code that no linter knows, read from the syntax tree. `npm run lint` and `npm run check` run this.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { consoleProblems } from './console-rules.mjs';
import { roomProblems } from './room-rules.mjs';
import { tableProblems } from './table-rules.mjs';
import { TestRules } from './test-rules.mjs';

const MAX_PARAMETERS = 4;
const MAX_COLLABORATORS = 8;
/** They sign requests to a foreign service with the system time. */
const WITH_SYSTEM_TIME = new Set([
  'src/modules/billing/stores/azure.store.ts',
  'src/modules/billing/stores/google.store.ts',
]);
/** Clock and Secrets are the only sources of time and randomness that a module may use. */
const TIME_AND_RANDOMNESS = /^(Date\.now|Math\.random|randomUUID|randomBytes|randomInt|crypto\.random\w+)$/;

/** What is wrong with one file, as `path:line what`. `path` is relative to the root, with forward slashes. */
export function problemsOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const problems = [];
  const report = (node, what) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    problems.push(`${path}:${line + 1} ${what}`);
  };
  const isOfModule = path.startsWith('src/modules/') && !WITH_SYSTEM_TIME.has(path);
  const visit = (node) => {
    if (ts.isConstructorDeclaration(node)) checkConstructor(node, report);
    else if (isCallable(node)) checkParameters(node, report);
    if (isOfModule) checkSources(node, report);
    checkConstructs(node, report);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}

function checkConstructor(node, report) {
  const name = node.parent.name?.text ?? 'a class';
  if (node.parameters.length > MAX_COLLABORATORS)
    report(node, `${name} takes ${node.parameters.length} collaborators, ${MAX_COLLABORATORS} are allowed`);
}

/** A method with decorators gets its parameters from Nest; one that overrides gets them from the class above. */
function checkParameters(node, report) {
  const parameters = node.parameters.filter(({ name }) => name.getText() !== 'this');
  const modifiers = node.modifiers ?? [];
  const isForeign = modifiers.some(
    ({ kind }) => kind === ts.SyntaxKind.Decorator || kind === ts.SyntaxKind.OverrideKeyword,
  );
  if (isForeign) return;
  const name = node.name?.getText() ?? 'a function';
  if (parameters.length > MAX_PARAMETERS)
    report(
      node,
      `${name} takes ${parameters.length} positional parameters, ${MAX_PARAMETERS} are allowed: pass an object`,
    );
  if (parameters.length > 1 && parameters.some(isBoolean))
    report(node, `${name} takes a positional boolean beside other parameters: pass an object`);
}

function checkSources(node, report) {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
    report(node, 'new Date() reads the system time: use Clock');
  if (ts.isCallExpression(node) && TIME_AND_RANDOMNESS.test(node.expression.getText()))
    report(node, `${node.expression.getText()} is not injected: use Clock or Secrets`);
}

/** What the house does without: unions of strings instead of enums, events and decorated providers instead of forwardRef. */
function checkConstructs(node, report) {
  if (ts.isEnumDeclaration(node)) report(node, `enum ${node.name.text}: use a union of strings`);
  if (ts.isCallExpression(node) && node.expression.getText() === 'forwardRef')
    report(node, 'forwardRef hides a cycle: use an event, a job or a decorated provider');
}

function isCallable(node) {
  return (
    ts.isMethodDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    // An arrow function that is an argument has the parameters its caller gives it.
    (ts.isArrowFunction(node) && !ts.isCallExpression(node.parent))
  );
}

function isBoolean({ type, initializer }) {
  const isLiteral = [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(initializer?.kind);
  return isLiteral || /^boolean( \| undefined)?$/.test(type?.getText() ?? '');
}

/** Sources with their paths relative to the root. */
function sourcesBelow(root, folder, isWanted) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter(isWanted)
    .map((name) => join(root, folder, name))
    .map((file) => ({
      path: relative(root, file).split(sep).join('/'),
      text: readFileSync(file, 'utf8'),
    }));
}

const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts');
/** Written by hand, and part of the build. */
const isOfConsole = (name) => /\.tsx?$/.test(name) && !isSpec(name) && !/(^|[\\/])generated[\\/]/.test(name);
const isSpec = (name) => /\.spec\.tsx?$/.test(name);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(fileURLToPath(import.meta.url), '..', '..');
  const files = ['src', 'cli/src'].flatMap((folder) => sourcesBelow(root, folder, isSource));
  const parts = sourcesBelow(root, 'console/src', isOfConsole);
  const specs = ['src', 'cli/src', 'console/src', 'test'].flatMap((folder) =>
    sourcesBelow(root, folder, isSpec),
  );
  const tests = new TestRules(root);
  const problems = [
    ...files.flatMap(({ path, text }) => problemsOf(path, text)),
    ...roomProblems(files.map(({ path }) => path)),
    ...tableProblems(root, files),
    ...parts.flatMap(({ path, text }) => consoleProblems(path, text)),
    ...specs.flatMap(({ path, text }) => tests.problemsOf(path, text)),
  ];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.stdout.write(`${files.length + parts.length + specs.length} files, ${problems.length} problems\n`);
  process.exit(problems.length === 0 ? 0 : 1);
}
