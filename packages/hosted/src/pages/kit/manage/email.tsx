import { inert } from '../../../../../service/src/shared/inert.js';

/** An e-mail address: where it has to break, it breaks behind its `@`. `plain`: as the words around it are. */
export function Email({ of, plain }: { of: string; plain?: boolean }) {
  const [user, host] = inert(of, 254).split('@');
  return (
    <bdi class={plain === true ? 'whole' : 'strong'}>
      {user}
      {host !== undefined && (
        <>
          @<wbr />
          {host}
        </>
      )}
    </bdi>
  );
}
