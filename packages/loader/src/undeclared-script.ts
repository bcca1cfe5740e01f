// The second file of the script-tag build.
import { registry } from './registry.js';
import * as undeclared from './undeclared.js';

registry().undeclared = undeclared;
