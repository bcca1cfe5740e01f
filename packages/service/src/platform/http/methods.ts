/** What an address takes, for whoever asked it in another way. */
import type { Context, Env, Hono } from 'hono';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * `Allow` of a 405: the methods that the request's address has routes for; null where it has none, or has one of the
 * request's own.
 *
 * @example
 * app.notFound((c) => {
 *   const allow = otherMethods(app, c);
 *   return allow === null ? c.text('Nothing here', 404) : c.text('Not so', 405, { allow });
 * });
 */
export function otherMethods<E extends Env>({ router }: Hono<E>, { req }: Context): string | null {
  const takes = METHODS.filter((method) =>
    router.match(method, req.path)[0].some(([[, route]]) => route.method === method),
  );
  const own = req.method === 'HEAD' ? 'GET' : req.method;
  if (takes.length === 0 || takes.some((method) => method === own)) return null;
  return takes.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
}
