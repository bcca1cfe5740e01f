/**
 * The contract as Zod schemas: the one source of what the service accepts and of its OpenAPI document. Each is proven
 * equal to its interface where it is declared.
 */
export * from './answer-schemas.js';
export * from './back-office-schemas.js';
export * from './event-schemas.js';
export { openapi, type OpenapiDocument } from './openapi.js';
export { fieldOf, type Read, readRequest, wordsOf } from './read.js';
export * from './session-schemas.js';
export { dayOrInstant } from './values.js';
