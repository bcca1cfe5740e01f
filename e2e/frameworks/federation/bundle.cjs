// Bundles a host and a remote, each with its own copy of the loader.
const { resolve } = require('node:path');
const webpack = require('webpack');

const { ModuleFederationPlugin } = webpack.container;
const common = {
  mode: 'production',
  context: __dirname,
  resolve: { extensions: ['.ts', '.js'] },
  module: { rules: [{ test: /\.ts$/, use: resolve(__dirname, 'strip-types.cjs') }] },
};
const output = (name) => ({
  path: resolve(__dirname, 'dist', name),
  publicPath: `/${name}/`,
  uniqueName: name,
});

webpack([
  {
    ...common,
    entry: {},
    output: output('remote'),
    plugins: [
      new ModuleFederationPlugin({
        name: 'remote',
        filename: 'entry.js',
        exposes: { './pay': '../loader.ts' },
      }),
    ],
  },
  {
    ...common,
    entry: './host.ts',
    output: output('host'),
    plugins: [new ModuleFederationPlugin({ name: 'host', remotes: { remote: 'remote@/remote/entry.js' } })],
  },
]).run((error, stats) => {
  if (error !== null || stats.hasErrors()) {
    console.error(error ?? stats.toString());
    process.exitCode = 1;
  }
});
