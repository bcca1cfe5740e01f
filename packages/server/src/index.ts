export { createServiceClient } from './client.js';
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
export type * from './surface.js';
export { verifyWebhook, type VerifyOptions, type WebhookHeaders } from './webhook.js';
