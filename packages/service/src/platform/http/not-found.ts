import type { Context, Env, Hono } from 'hono';
import { ServiceError } from '../../core/error.js';
import { otherMethods } from './methods.js';
import { failure } from './envelope.js';

/** 405 if the path has another method, else 404. */
export function notFoundResponse<E extends Env>(app: Hono<E>, c: Context): Response {
  const allow = otherMethods(app, c);
  if (allow === null)
    return failure(new ServiceError('not_found', 'Nothing was found at this address: check the path.'));
  return failure(new ServiceError('method_not_allowed', `This address accepts only ${allow}.`), { allow });
}
