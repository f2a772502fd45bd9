// docs/module-map.md: which module stands where and serves which routes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNED, READ, WRITTEN } from './tables.mjs';
import { ROOMS, TIERS } from './tiers.mjs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'x-lock', 'x-unlock'];

/** `tenantStates` → `states`, from the controllers' files: what ids of operations begin with. */
function ownersOfOperations(folder) {
  const owners = new Map();
  for (const module of readdirSync(folder)) {
    for (const file of readdirSync(join(folder, module), { recursive: true })) {
      if (!file.endsWith('.controller.ts')) continue;
      const source = readFileSync(join(folder, module, file), 'utf8');
      for (const [, name] of source.matchAll(/export class (\w+)Controller\b/g))
        owners.set(name[0].toLowerCase() + name.slice(1), module);
    }
  }
  return owners;
}

/** `tenantStatesList` is of `tenantStates`, not of `tenant`. */
function ownerOf(operationId, owners) {
  const [controller] = [...owners.keys()]
    .filter((name) => operationId.startsWith(name) && /[A-Z]/.test(operationId[name.length] ?? ''))
    .sort((a, b) => b.length - a.length);
  if (controller !== undefined) return owners.get(controller);
  // The probes are answered in front of every module.
  if (operationId.startsWith('health')) return undefined;
  throw new Error(`no controller has the operation ${operationId}`);
}

function routesByModule(document, owners) {
  const routes = new Map();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const owner = item[method] && ownerOf(item[method].operationId, owners);
      if (!owner) continue;
      const verb = method.replace('x-', '').toUpperCase();
      routes.set(owner, [
        ...(routes.get(owner) ?? []),
        `\`${verb} ${path}\` ${item[method].summary ?? ''}`.trim(),
      ]);
    }
  }
  return routes;
}

function purposeOf(folder) {
  const name = readdirSync(folder).find((file) => file.endsWith('.module.ts'));
  const source = name ? readFileSync(join(folder, name), 'utf8') : '';
  return (
    /\/\*\*\s*([\s\S]*?)\s*\*\/\s*(?:@Global\(\)\s*)?@Module/
      .exec(source)?.[1]
      ?.replace(/\s*\n\s*\*\s*/g, ' ') ?? ''
  );
}

/** Every import of another module's index, as `from` and `to`. */
function importsBetween(folder, present) {
  return present.flatMap((from) => {
    const found = new Set();
    for (const file of readdirSync(join(folder, from), { recursive: true })) {
      if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
      const source = readFileSync(join(folder, from, file), 'utf8');
      for (const [, to] of source.matchAll(/from '(?:\.\.\/)+([\w-]+)\/index\.js'/g)) found.add(to);
    }
    return [...found].filter((to) => to !== from && present.includes(to)).map((to) => ({ from, to }));
  });
}

/** An import that another one implies is not drawn: what is left shows the floors. */
function withoutImplied(imports) {
  const next = new Map();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const reaches = (from, to, seen = new Set()) =>
    (next.get(from) ?? []).some((step) => {
      if (step === to) return true;
      if (seen.has(step)) return false;
      seen.add(step);
      return reaches(step, to, seen);
    });
  return imports.filter(
    ({ from, to }) => !(next.get(from) ?? []).some((step) => step !== to && reaches(step, to)),
  );
}

function identifier(name) {
  return name.replaceAll('-', '_');
}

/** The modules on their tiers, highest first. */
function drawModules(folder, present) {
  const lines = ['```mermaid', 'flowchart TB'];
  [...TIERS.entries()].reverse().forEach(([index, names]) => {
    const here = names.filter((name) => present.includes(name));
    if (here.length === 0) return;
    lines.push(`  subgraph tier${index + 1}["tier ${index + 1}"]`, '    direction LR');
    for (const name of here) lines.push(`    ${identifier(name)}["${name}"]`);
    lines.push('  end');
  });
  for (const { from, to } of withoutImplied(importsBetween(folder, present)))
    lines.push(`  ${identifier(from)} --> ${identifier(to)}`);
  return [...lines, '```'];
}

function countFiles(folder) {
  return readdirSync(folder, { recursive: true }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  ).length;
}

/** The rooms of one module in their order: each imports only later ones. */
function drawRooms(folder, module) {
  const rooms = ROOMS[module] ?? [];
  if (rooms.length === 0) return [];
  const boxes = rooms.map(
    (room) => `${identifier(room)}["${room} (${countFiles(join(folder, module, room))})"]`,
  );
  return ['```mermaid', 'flowchart LR', `  ${boxes.join(' --> ')}`, '```', ''];
}

/** The tables of a module, and those of others that its SQL names. */
function tablesOf(module) {
  const list = (tables) => tables.map((table) => `\`${table}\``).join(', ');
  const own = OWNED[module] ?? [];
  const foreign = (verb, entries = []) =>
    entries.map(({ tables, why }) => `- ${verb} ${list(tables)}: ${why}`);
  const others = [...foreign('reads', READ[module]), ...foreign('writes', WRITTEN[module])];
  return [
    ...(own.length > 0 ? [`Owns ${list(own)}.`, ''] : []),
    ...(others.length > 0 ? ['Tables of other modules in its SQL:', '', ...others, ''] : []),
  ];
}

export function moduleMap(root, document) {
  const folder = join(root, 'src', 'modules');
  const routes = routesByModule(document, ownersOfOperations(folder));
  const lines = [
    '# Module map',
    '',
    'Generated by `npm run openapi`. A module imports only modules of lower tiers. An arrow that others imply is left out.',
    '',
    ...drawModules(
      folder,
      TIERS.flat().filter((name) => existsSync(join(folder, name))),
    ),
    '',
    'Large modules have rooms: folders in an order in which each imports only later ones, with their numbers of files.',
    'A table has one owner. `npm run lint` refuses SQL that names the table of another module, unless it is listed here.',
    '',
  ];
  TIERS.forEach((names, index) => {
    const present = names.filter((name) => existsSync(join(folder, name)));
    if (present.length === 0) return;
    lines.push(`## Tier ${index + 1}`, '');
    for (const name of present) {
      lines.push(`### ${name}`, '');
      const purpose = purposeOf(join(folder, name));
      if (purpose) lines.push(purpose, '');
      lines.push(...drawRooms(folder, name));
      lines.push(...tablesOf(name));
      if (routes.has(name)) lines.push('Routes:', '');
      for (const route of routes.get(name) ?? []) lines.push(`- ${route}`);
      if (routes.has(name)) lines.push('');
    }
  });
  return `${lines.join('\n').trimEnd()}\n`;
}
