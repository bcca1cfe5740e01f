/**
 * The contract as Zod schemas. The service's validation and its OpenAPI document are both derived from them. The compiler
 * checks that each schema equals its interface.
 */
export * from './response-schemas.js';
export * from './back-office-schemas.js';
export * from './event-schemas.js';
export { openapi, type OpenapiDocument } from './openapi.js';
export { fieldOf, type Read, readRequest, wordsOf } from './read.js';
export * from './session-schemas.js';
export { dayOrInstant, isBlank } from './values.js';
