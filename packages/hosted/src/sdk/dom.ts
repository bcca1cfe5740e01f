/** What is appended to the page's own tree goes here: a script in the head runs before there is a body. */
export function pageBody(): HTMLElement {
  return document.body ?? document.documentElement;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return document.createElement(name);
}
