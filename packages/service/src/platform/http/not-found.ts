import type { Context, Env, Hono } from 'hono';
import { ServiceError } from '../../core/error.js';
import { failure } from './envelope.js';

/** 405 if the path has another method, else 404. */
export function notFoundResponse<E extends Env>(app: Hono<E>, c: Context): Response {
  const allow = otherMethods(app, c);
  if (allow === null)
    return failure(new ServiceError('not_found', 'Nothing was found at this address: check the path.'));
  return failure(new ServiceError('method_not_allowed', `This address accepts only ${allow}.`), { allow });
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * The `Allow` header of a 405: the methods of the path's routes. Null if no route has the path, or one
 * has the request's own method.
 */
export function otherMethods<E extends Env>({ router }: Hono<E>, { req }: Context): string | null {
  const takes = METHODS.filter((method) =>
    router.match(method, req.path)[0].some(([[, route]]) => route.method === method),
  );
  const own = req.method === 'HEAD' ? 'GET' : req.method;
  if (takes.length === 0 || takes.some((method) => method === own)) return null;
  return takes.map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
}
