/** Fills a message's layout. Values are escaped, and placeholders in them are ignored. */
export interface LayoutValues {
  readonly [name: string]: string | readonly LayoutValues[] | undefined;
}

/**
 * Replaces `{{name}}` with a value. Repeats `{{#name}}…{{/name}}` for each item of a list, and omits it if the list or
 * text is empty. Items inherit the surrounding values.
 */
export function fillLayout(layout: string, values: LayoutValues): string {
  return layout.replace(PLACEHOLDER, (_, part: string | undefined, inner: string, name: string) => {
    const value = values[part ?? name] ?? '';
    if (part === undefined) return typeof value === 'string' ? escape(value) : '';
    const items = typeof value === 'string' ? (value === '' ? [] : [{}]) : value;
    return items.map((item) => fillLayout(inner, { ...values, ...item })).join('');
  });
}

const PLACEHOLDER = /\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}|\{\{(\w+)\}\}/g;

function escape(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
