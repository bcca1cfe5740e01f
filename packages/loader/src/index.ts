export { environmentOf, type Environment, type EnvironmentOptions, type SessionRef } from './environment.js';
export { isLoaderError, LoaderError, type LoaderErrorCode } from './error.js';
export type { EmbeddedService, FlowOptions } from './flow.js';
export { createLoader, loadService, type Loader } from './load.js';
export type { LoaderEvent, LoaderOptions, LoaderSettings } from './options.js';
export type {
  AdapterHandle,
  Appearance,
  Brand,
  Flow,
  FlowEvent,
  FlowEventDetails,
  NextFlow,
  FlowResult,
  OpenOptions,
  Presentation,
  PresentationOptions,
  ServiceAdapter,
  ServiceGlobal,
} from './sdk.js';
