// Builds the catalogs of the test languages separately. They derive from the English catalogs, which the bundler would
// otherwise split.
import { defineConfig, type UserConfig } from 'vite';
import { TEST_LANGUAGES } from '../service/src/shared/languages.js';
import { pagesBuild } from './vite.pages.js';

const config: UserConfig = defineConfig(
  pagesBuild({
    name: 'test-languages',
    flows: [],
    languages: TEST_LANGUAGES,
    catalogs: ['payment', 'after', 'manage', 'problem'],
  }),
);
export default config;
