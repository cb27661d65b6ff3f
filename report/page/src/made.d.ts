// What build.mjs makes: the worker's text, and the plots' specs by name, compiled to Vega and as they are.
declare module 'made:worker' {
  const text: string;
  export default text;
}
declare module 'made:plots' {
  const specs: Record<string, object>;
  export default specs;
}
declare module 'made:specs' {
  const specs: Record<string, object>;
  export default specs;
}
declare module 'prismjs/components/prism-core' {
  export {default} from 'prismjs';
}
declare module 'prismjs/components/*';
declare module 'vega-interpreter' {
  export const expressionInterpreter: unknown;
}
