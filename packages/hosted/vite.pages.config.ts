// Builds the pages of the management flows. Code that they share is in one file, cached across flows.
import { defineConfig, type UserConfig } from 'vite';
import { FLOWS, pagesBuild } from './vite.pages.js';

const config: UserConfig = defineConfig(
  pagesBuild({
    first: true,
    name: 'manage',
    flows: FLOWS.filter((flow) => flow !== 'payment'),
    catalogs: ['manage', 'problem'],
    files: [
      {
        name: 'app',
        test: /node_modules|vite\/|pages\/kit\/(shell|design|format|source|text\/index)/,
      },
      { name: 'manage', test: /pages\/kit\/manage\// },
    ],
  }),
);
export default config;
