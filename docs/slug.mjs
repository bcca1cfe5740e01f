/** The id of a heading, as GitHub makes it: `csp_blocked` stays, `referenceConflict` is `referenceconflict`. @param {string} heading */
export const slug = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
