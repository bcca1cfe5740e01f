/** Fills the layout of a message. Every value becomes text: it is escaped, and placeholders in it are ignored. */
export interface LayoutValues {
  readonly [name: string]: string | readonly LayoutValues[] | undefined;
}

/**
 * Replaces `{{name}}` by a value. `{{#name}}…{{/name}}` is repeated for each item of a list, and left out if the list or
 * the text of that name is empty. Items also see the values around them.
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
