// Checks that definitions are equal which packages duplicate because neither may depend on the other.
import type { Environment, Flow, LoaderErrorCode, SessionRef } from '@embedded-sessions/loader';
import type { EmbeddedPaymentErrorCode } from '@embedded-sessions/react';
import type {
  CreatedSession,
  FlowProperties,
  Environment as ServerEnvironment,
} from '@embedded-sessions/server';
import type { Flow as ContractFlow } from '@embedded-sessions/server-types';
import { expectTypeOf } from 'vitest';
import type { SdkErrorCode } from '../packages/hosted/src/sdk/error.js';
import type { SESSION_ID_PREFIXES } from '../packages/loader/src/environment.js';
import type { ID_PREFIXES, ServiceEnvironment } from '../packages/service/src/shared/environment.js';

// Flows: loader, server and the contract.
expectTypeOf<Flow>().toEqualTypeOf<ContractFlow>();
expectTypeOf<keyof FlowProperties>().toEqualTypeOf<ContractFlow>();

// Environments: loader, server and service.
expectTypeOf<Environment>().toEqualTypeOf<Exclude<ServerEnvironment, 'development'>>();
expectTypeOf<ServerEnvironment>().toEqualTypeOf<ServiceEnvironment>();

// R-7 The loader recognizes the ids of the service's sessions.
expectTypeOf<typeof SESSION_ID_PREFIXES>().toEqualTypeOf<Omit<typeof ID_PREFIXES, 'development'>>();

// The page can open what the backend returns.
expectTypeOf<CreatedSession<unknown>>().toExtend<SessionRef>();

// Error codes: the SDK's codes are valid in the loader, and the loader's in react.
expectTypeOf<SdkErrorCode>().toExtend<LoaderErrorCode>();
expectTypeOf<LoaderErrorCode>().toExtend<EmbeddedPaymentErrorCode>();
