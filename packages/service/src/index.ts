export { createApp, type App } from './app.js';
export { parseConfig, type BusinessUnit, type ServiceConfig, type ServiceEnvironment } from './config.js';
export type { Deps } from './deps.js';
export { ServiceError, type StartErrorCode } from './domain/error.js';
export { createTestService, type TestService, type TestServiceOptions } from './test-service.js';
export type { Control } from './control.js';
export type { ControlState } from './api/state.js';
export type { FaultRequest } from './fault-list.js';
export type {
  BankSource,
  CardSource,
  ChargeOutcome,
  LookupOutcome,
  PaymentProcessor,
  PaymentSource,
  SourceRefused,
  Tokenized,
} from './domain/processor.js';
export { TEST_ACCOUNTS, TEST_CARDS, TEST_ROUTING_NUMBER } from './processor/test-processor.js';
