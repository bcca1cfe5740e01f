// webpack 4 parses no syntax newer than ES2018, so the package goes through esbuild, as the docs say.
const { resolve } = require('node:path');
const webpack = require('webpack-4');

webpack({
  mode: 'production',
  context: __dirname,
  entry: './main.js',
  output: { path: resolve(__dirname, 'dist') },
  module: {
    rules: [{ test: /\.js$/, include: /packages\/loader/, use: resolve(__dirname, 'to-es2018.cjs') }],
  },
}).run((error, stats) => {
  if (error !== null || stats.hasErrors()) {
    console.error(error ?? stats.toString());
    process.exitCode = 1;
  }
});
