// The payment page by itself: in one file it is a kilobyte smaller, and hardly anybody opens two flows in a row.
import { defineConfig, type UserConfig } from 'vite';
import { pagesBuild } from './vite.pages.js';

const config: UserConfig = defineConfig(
  pagesBuild({
    name: 'payment',
    flows: ['payment'],
    texts: ['payment', 'after'],
    files: [
      {
        name: 'page',
        test: /node_modules|vite\/|src\/shared\/|pages\/kit\/(?!text\/(?!index|plural)|design\/(?:error-summary|notice)|shell\/failure|source\/country-field)|flows\/payment\/(?!late|outcome|receipt|checking|form-notice)/,
      },
    ],
  }),
);
export default config;
