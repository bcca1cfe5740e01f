// The OpenAPI document that ships with the package, generated from the schemas that were just built.
import { writeFileSync } from 'node:fs';
import { openapi } from './dist/schemas.js';

writeFileSync(new URL('dist/openapi.json', import.meta.url), `${JSON.stringify(openapi(), null, 2)}\n`);
