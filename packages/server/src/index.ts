export { createServiceClient } from './client.js';
export type { Environment } from './options.js';
export {
  type AnyServiceError,
  type Attempt,
  type ErrorDetails,
  type ErrorKind,
  isServiceError,
  ServiceError,
  type ServiceProblem,
  type ServiceProtocolError,
} from './error.js';
export type { Hook, RequestInfo, ResponseInfo } from './request.js';
export type * from './surface.js';
export type { Fetch } from './transport.js';
export { verifyWebhook, type VerifyOptions, type WebhookHeaders } from './webhook.js';
