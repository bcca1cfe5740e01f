export { environmentOf, type Environment, type EnvironmentOptions, type SessionRef } from './environment.js';
export { isLoaderError, LoaderError, type LoaderErrorCode } from './error.js';
export type { EmbeddedService, FlowOptions } from './flow.js';
export { createLoader, loadService, type Loader, type LoaderEvent, type LoaderOptions } from './load.js';
export type { FlowEvent, FlowResult, ServiceAdapter, ServiceGlobal } from './sdk.js';
