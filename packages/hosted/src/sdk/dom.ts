/** The parent of elements that belong to no container. A script in the head runs before there is a body. */
export function pageBody(): HTMLElement {
  return document.body ?? document.documentElement;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return document.createElement(name);
}

/** Not `remove()`: Prototype.js replaces it with a function that throws for an element that is not in the page. */
export function detach(node: Node | null | undefined): void {
  node?.parentNode?.removeChild(node);
}

/** Runs every step, even if an earlier one throws because the page has replaced what it calls. */
export function runAll(...steps: (() => unknown)[]): void {
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      console.error(error);
    }
  }
}
