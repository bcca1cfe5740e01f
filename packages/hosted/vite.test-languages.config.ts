// The catalogs of the test languages, by themselves: they are made of the English ones, which must not be split for it.
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
