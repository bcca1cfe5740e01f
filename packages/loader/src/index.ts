export type { Environment, SessionRef } from './environment.js';
export { isLoaderError, LoaderError, type LoaderErrorCode } from './error.js';
export type { EmbeddedService, FlowOptions } from './flow.js';
export type { Loader, LoaderEvent, LoaderOptions } from './load.js';
export type { FlowEvent, FlowResult, ServiceAdapter, ServiceGlobal } from './sdk.js';
