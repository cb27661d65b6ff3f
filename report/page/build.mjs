// Bundles the page into one HTML template: node build.mjs OUTPUT
//
// The packages are found by NODE_PATH, or beside this file. The plots are Vega-Lite specs that are
// compiled here to Vega, so the page carries Vega alone; the specs are in it for readers who want them. The content security policy names the hash of
// the one script and the one style that are in the page; nothing else runs, nothing is fetched.
import {createHash} from 'node:crypto';
import {mkdir, readFile, readdir, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const packages = createRequire(path.join(process.env.NODE_PATH ?? path.join(here, 'node_modules'), 'x'));
const esbuild = packages('esbuild');
const output = process.argv[2];
if (!output) {
  console.error('usage: build.mjs OUTPUT');
  process.exit(2);
}

const shared = {
  bundle: true, minify: true, write: false, format: 'iife', target: 'es2022',
  charset: 'ascii', legalComments: 'none', logLevel: 'warning',
  nodePaths: process.env.NODE_PATH ? [process.env.NODE_PATH] : [],
};
const bundled = async (entry, plugins) => {
  const result = await esbuild.build({...shared, entryPoints: [path.join(here, 'src', entry)], plugins});
  return result.outputFiles[0].text;
};

/// Modules that exist only in the build: the worker's text, and the specs by name.
const made = (name, contents) => ({
  name,
  setup(build) {
    build.onResolve({filter: new RegExp(`^made:${name}$`)}, () => ({path: name, namespace: 'made'}));
    build.onLoad({filter: new RegExp(`^${name}$`), namespace: 'made'},
                 async () => ({contents: `export default ${JSON.stringify(await contents())}`}));
  },
});

/// The specs by name, as they are.
async function plots() {
  const folder = path.join(here, 'src', 'plots');
  const specs = {};
  for (const file of (await readdir(folder)).sort())
    if (file.endsWith('.vl.json'))
      specs[file.replace('.vl.json', '')] = JSON.parse(await readFile(path.join(folder, file), 'utf8'));
  return specs;
}

async function compiledPlots() {
  const lite = await import(packages.resolve('vega-lite'));
  return Object.fromEntries(Object.entries(await plots()).map(([name, spec]) => [name, lite.compile({...spec, background: null}).spec]));
}

// In a script, `</script` and `<!--` would end or open what they must not.
const inScript = text => text.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = inScript(await bundled('main.ts', [
  made('worker', () => bundled('worker.ts', [])),
  made('plots', compiledPlots),
  made('specs', plots),
]));
const style = (await esbuild.transform(await readFile(path.join(here, 'src/page.css'), 'utf8'),
                                       {loader: 'css', minify: true})).code;
const policy = `default-src 'none'; script-src ${hash(script)} 'wasm-unsafe-eval'; ` +
               `style-src ${hash(style)}; worker-src blob:; base-uri 'none'; form-action 'none'`;
const page = (await readFile(path.join(here, 'src/page.html'), 'utf8'))
  .replace('@policy@', () => policy)
  .replace('@style@', () => style)
  .replace('@script@', () => script);
await mkdir(path.dirname(output), {recursive: true});
await writeFile(output, page);
