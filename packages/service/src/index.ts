export { createApp, type App } from './app.js';
export { parseConfig, type BusinessUnit, type ServiceConfig, type ServiceEnvironment } from './config.js';
export type { Deps } from './deps.js';
export { ServiceError, type StartErrorCode } from './domain/error.js';
export { createTestService, type TestService, type TestServiceOptions } from './test-service.js';
