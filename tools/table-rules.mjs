// One owner per table: who names another module's table in SQL, or uses its entity, stands in tools/tables.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { OWNED, READ, WRITTEN } from './tables.mjs';

const OWNER_OF = new Map(
  Object.entries(OWNED).flatMap(([module, tables]) => tables.map((table) => [table, module])),
);
const AFTER_KEYWORD = /\b(FROM|JOIN|INTO|UPDATE|COPY|TABLE|USING|ONLY)\s+(?:ONLY\s+)?(\w+)/g;
const IS_WRITE =
  /\b(?:INSERT INTO|UPDATE|DELETE FROM|COPY|TRUNCATE(?: TABLE)?|MERGE INTO)\s+(?:ONLY\s+)?(\w+)/g;
/** Names that a statement gives to its own subqueries. */
const SUBQUERY = /(\w+)(?:\s*\([\w, ]+\))?\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\(/g;
const WRITING_METHODS = new Set(['insert', 'update', 'delete', 'save', 'upsert', 'remove', 'create']);

/** The uses of tables in one file: `{ table, isWrite, line }`. `tableOf`: tables by the class of their entity. */
export function usesOf(path, text, tableOf) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const uses = [];
  const add = (node, table, isWrite) => {
    if (!OWNER_OF.has(table)) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    uses.push({ table, isWrite, line: line + 1 });
  };
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const sql = node.getText();
      const own = new Set([...sql.matchAll(SUBQUERY)].map(([, name]) => name));
      const written = new Set([...sql.matchAll(IS_WRITE)].map(([, name]) => name));
      for (const [, , name] of sql.matchAll(AFTER_KEYWORD))
        if (!own.has(name)) add(node, name, written.has(name));
    } else if (ts.isIdentifier(node) && tableOf.has(node.text) && isValue(node)) {
      add(node, tableOf.get(node.text), isWritten(node));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return uses;
}

/** An entity that is more than a type, or a name in a list of imports. */
function isValue({ parent }) {
  return !(
    ts.isImportSpecifier(parent) ||
    ts.isExportSpecifier(parent) ||
    ts.isTypeReferenceNode(parent) ||
    ts.isTypeQueryNode(parent)
  );
}

/** `manager.insert(XEntity, …)` */
function isWritten({ parent }) {
  return (
    ts.isCallExpression(parent) &&
    ts.isPropertyAccessExpression(parent.expression) &&
    WRITING_METHODS.has(parent.expression.name.text)
  );
}

/** The classes of entities with their tables, from their decorators. */
function entitiesIn(files) {
  const found = [];
  for (const { path, text } of files)
    for (const [, table, name] of text.matchAll(/@Entity\('(\w+)'[^)]*\)\s*export class (\w+)/g))
      found.push({ path, table, name });
  return found;
}

function moduleOf(path) {
  return /^src\/modules\/([^/]+)\//.exec(path)?.[1] ?? path.split('/').slice(0, 3).join('/');
}

function lists(allowed, module, table) {
  return (allowed[module] ?? []).some(({ tables }) => tables.includes(table));
}

/** @param files with their paths relative to the root, and texts */
export function tableProblems(root, files) {
  const problems = [];
  const entities = entitiesIn(files);
  const tableOf = new Map(entities.map(({ name, table }) => [name, table]));
  for (const { path, table } of entities) {
    const owner = OWNER_OF.get(table);
    if (owner === undefined) problems.push(`${path} ${table} has no owner in tools/tables.mjs`);
    else if (owner !== moduleOf(path)) problems.push(`${path} ${table} is a table of ${owner}`);
  }
  const used = new Set();
  for (const { path, text } of files) {
    if (!path.startsWith('src/')) continue;
    const module = moduleOf(path);
    for (const { table, isWrite, line } of usesOf(path, text, tableOf)) {
      const owner = OWNER_OF.get(table);
      if (owner === module) continue;
      const mayWrite = lists(WRITTEN, module, table);
      used.add(`${module} ${isWrite ? 'writes' : 'reads'} ${table}`);
      if (isWrite && !mayWrite)
        problems.push(`${path}:${line} ${module} writes ${table}, a table of ${owner}: see tools/tables.mjs`);
      else if (!isWrite && !mayWrite && !lists(READ, module, table))
        problems.push(`${path}:${line} ${module} reads ${table}, a table of ${owner}: see tools/tables.mjs`);
    }
  }
  // A planted project has no migrations, and uses next to none of the tables.
  if (existsSync(join(root, 'migrations'))) problems.push(...staleIn(root, used));
  return [...new Set(problems)];
}

/** Entries of the lists that nothing in the code or the migrations needs, and tables without an owner. */
function staleIn(root, used) {
  const problems = [];
  const tables = migratedTables(join(root, 'migrations'));
  for (const table of tables)
    if (!OWNER_OF.has(table) && table !== 'migrations') problems.push(`migrations ${table} has no owner`);
  for (const table of OWNER_OF.keys())
    if (!tables.has(table)) problems.push(`tools/tables.mjs ${table} does not exist`);
  for (const [verb, allowed] of [
    ['reads', READ],
    ['writes', WRITTEN],
  ])
    for (const [module, entries] of Object.entries(allowed))
      for (const table of entries.flatMap((entry) => entry.tables))
        if (!used.has(`${module} ${verb} ${table}`))
          problems.push(`tools/tables.mjs nothing of ${module} ${verb} ${table}`);
  return problems;
}

function migratedTables(folder) {
  const tables = new Set();
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.sql')) continue;
    const sql = readFileSync(join(folder, name), 'utf8');
    const change =
      /^\s*(?:CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(\w+)|DROP TABLE (?:IF EXISTS )?(\w+)|ALTER TABLE (?:IF EXISTS )?(\w+) RENAME TO (\w+))/gm;
    for (const [, created, dropped, before, after] of sql.matchAll(change)) {
      tables.delete(dropped ?? before);
      if (created ?? after) tables.add(created ?? after);
    }
  }
  return tables;
}
