import { Hono } from 'hono';
import type { Deps } from '../deps.js';

/** `/s/{id}/api/*`, as typed in `wire/page.ts`. */
export function pageApi(_deps: Deps): Hono {
  return new Hono();
}
