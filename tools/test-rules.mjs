// Every test asserts something: itself, or through a function of its file or of test/support that it uses.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const TEST = /^(?:it|test)(?:\.|\(|$)/;
/** `waitFor` of a locator fails unless the page comes to show what it names. */
const ASSERTION = /^(?:expect|assert)\b|^fc\.assert\b|\.waitFor$/;

/** One file with what its names stand for: functions of its own, and imports from test/support. */
class SpecFile {
  declared = new Map();
  imported = new Map();

  constructor(path, text) {
    this.path = path;
    const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    this.source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, kind);
    this.collect(this.source);
  }

  collect(node) {
    const isNamed =
      ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isClassDeclaration(node);
    if (isNamed && node.name) this.declare(node.name.getText(), node);
    const isValue =
      ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node);
    if (isValue && node.initializer && !ts.isObjectBindingPattern(node.name))
      this.declare(node.name.getText(), node.initializer);
    if (ts.isImportDeclaration(node)) this.import(node);
    ts.forEachChild(node, (child) => this.collect(child));
  }

  declare(name, node) {
    this.declared.set(name, [...(this.declared.get(name) ?? []), node]);
  }

  import(node) {
    const names = node.importClause?.namedBindings;
    const from = node.moduleSpecifier.text;
    if (!from.includes('support/') && !/^\.\/[\w-]+\.js$/.test(from)) return;
    const path = join(dirname(this.path), from.replace(/\.js$/, '.ts'));
    if (names && ts.isNamedImports(names))
      for (const { name, propertyName } of names.elements)
        this.imported.set(name.text, { path, name: (propertyName ?? name).text });
  }
}

export class TestRules {
  files = new Map();

  constructor(root) {
    this.root = root;
  }

  /** Tests of one file without an assertion, as `path:line what`. `path` is relative to the root. */
  problemsOf(path, text) {
    const file = new SpecFile(path, text);
    this.files.set(path, file);
    const problems = [];
    const visit = (node) => {
      if (isTest(node) && !this.asserts(file, node.arguments[1], new Set())) {
        const { line } = file.source.getLineAndCharacterOfPosition(node.getStart());
        problems.push(`${path}:${line + 1} the test ${node.arguments[0].getText()} asserts nothing`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file.source);
    return problems;
  }

  asserts(file, node, seen) {
    if (seen.has(node)) return false;
    seen.add(node);
    const names = new Set();
    const visit = (child) => {
      if (ts.isCallExpression(child) && ASSERTION.test(child.expression.getText())) return true;
      if (ts.isIdentifier(child)) names.add(child.text);
      return ts.forEachChild(child, visit) ?? false;
    };
    return visit(node) || [...names].some((name) => this.nameAsserts(file, name, seen));
  }

  nameAsserts(file, name, seen) {
    if (/^(?:expect|assert)[A-Z]/.test(name)) return true;
    const imported = file.imported.get(name);
    const of = imported ? this.read(imported.path) : file;
    const declared = of?.declared.get(imported?.name ?? name) ?? [];
    return declared.some((node) => this.asserts(of, node, seen));
  }

  read(path) {
    const absolute = join(this.root, path);
    if (!this.files.has(path) && existsSync(absolute))
      this.files.set(path, new SpecFile(path, readFileSync(absolute, 'utf8')));
    return this.files.get(path);
  }
}

function isTest(node) {
  return (
    ts.isCallExpression(node) &&
    TEST.test(node.expression.getText()) &&
    node.arguments.length > 1 &&
    (ts.isArrowFunction(node.arguments[1]) || ts.isFunctionExpression(node.arguments[1]))
  );
}
