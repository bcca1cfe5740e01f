import { mergeConfig } from 'vite';
import { library } from '../../vite.library.js';

// The bundler drops directives of modules that it joins, and a server component may only import what carries it.
export default mergeConfig(library(['index', 'testing'], [/^react(-dom)?(\/|$)/, /^@embedded-sessions\//]), {
  build: { rolldownOptions: { output: { banner: '"use client";' } } },
});
