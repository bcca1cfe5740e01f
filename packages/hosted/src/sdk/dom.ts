export function element<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  return document.createElement(name);
}

/** Removes `node`. Prototype.js has its own `remove`, which throws if there is no parent. */
export function detach(node: Element | null | undefined): void {
  node?.parentNode?.removeChild(node);
}
