/**
 * Finds the globals and prototype members that our bundles use, and replaces one of them in a page. Reads the names from
 * the bundles, so that new code is covered automatically.
 */
import { parseAst } from 'rollup/parseAst';

/** Names that a bundle may use: free identifiers and member names. */
export interface Names {
  globals: string[];
  members: string[];
}

interface Node {
  type: string;
  name?: string;
  computed?: boolean;
  [key: string]: unknown;
}

/** Every identifier and member name in the scripts. The page drops those that the browser doesn't have. */
export function namesOf(scripts: readonly string[]): Names {
  const globals = new Set<string>();
  const members = new Set<string>();

  const visit = (node: Node): void => {
    const { type, computed } = node;
    const key = (node['property'] ?? node['key']) as Node | undefined;
    const isMember = (type === 'MemberExpression' || type === 'Property') && !computed;
    if (isMember && key?.type === 'Identifier') members.add(key.name!);
    if (type === 'Identifier') globals.add(node.name!);

    for (const [name, child] of Object.entries(node)) {
      if (isMember && (name === 'property' || (name === 'key' && node['value'] !== child))) continue;
      for (const each of Array.isArray(child) ? child : [child])
        if (typeof (each as Node | null)?.type === 'string') visit(each as Node);
    }
  };
  for (const script of scripts) visit(parseAst(script) as unknown as Node);
  return { globals: [...globals], members: [...members] };
}

/** One thing to replace, such as `['Element', 'prototype', 'append']` or `['URL']`. */
export type Path = readonly string[];

/**
 * Runs in the page. Lists the paths that `names` can refer to: globals, their static members, and the members of their
 * prototypes.
 */
export function pathsOf({ globals, members }: Names): Path[] {
  const paths: Path[] = [];
  const wanted = new Set(members);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const value = (globalThis as unknown as Record<string, unknown>)[name];
    if (globals.includes(name)) paths.push([name]);
    if (!/^[A-Z]/.test(name) || value === null || !['function', 'object'].includes(typeof value)) continue;

    const { prototype } = value as { prototype?: object };
    for (const key of Object.getOwnPropertyNames(value))
      if (wanted.has(key) && key !== 'prototype') paths.push([name, key]);
    for (const key of Object.getOwnPropertyNames(prototype ?? {}))
      if (wanted.has(key) && key !== 'constructor') paths.push([name, 'prototype', key]);
  }
  return paths;
}

/**
 * Runs in the page before our scripts. Wraps the function at each path, and adds the paths that are used to `used`. Globals
 * that are not functions always count as used.
 */
export function record(paths: readonly Path[]): void {
  const { apply, construct, defineProperty, get, getOwnPropertyDescriptor } = Reflect;
  const used: Record<string, true> = Object.create(null) as Record<string, true>;
  defineProperty(globalThis, 'used', { value: used });

  for (const path of paths) {
    const name = path.join('.');
    let owner: object = globalThis;
    for (const key of path.slice(0, -1)) owner = get(owner, key) as object;
    const found = getOwnPropertyDescriptor(owner, path.at(-1)!);
    if (!found?.configurable) continue;

    const wrap = (work: unknown): unknown =>
      typeof work === 'function'
        ? new Proxy(work, {
            apply: (target, self, given) => ((used[name] = true), apply(target, self, given)),
            construct: (target, given, self) => (
              (used[name] = true),
              construct(target, given, self) as object
            ),
          })
        : work;
    for (const part of ['value', 'get', 'set'] as const) if (found[part]) found[part] = wrap(found[part]);
    defineProperty(owner, path.at(-1)!, found);
  }
}

/** `throws`: calls and reads throw. `missing`: the value is undefined. `garbage`: the value is a number. */
export const REPLACEMENTS = ['throws', 'missing', 'garbage'] as const;
export type Replacement = (typeof REPLACEMENTS)[number];

/** Runs in the page. Replaces the value at a path, as the page's own scripts might. */
export function replace(path: Path, replacement: Replacement): void {
  let owner: object = globalThis;
  for (const key of path.slice(0, -1)) owner = Reflect.get(owner, key) as object;
  const fail = (): never => {
    throw new TypeError(`The page replaced ${path.join('.')}.`);
  };
  const found = Object.getOwnPropertyDescriptor(owner, path.at(-1)!);
  const value = { throws: fail, missing: undefined, garbage: 7 }[replacement];
  const isRead = found?.get && replacement === 'throws';
  Object.defineProperty(owner, path.at(-1)!, {
    configurable: true,
    ...(isRead ? { get: fail, set: fail } : { value, writable: true }),
  });
}
