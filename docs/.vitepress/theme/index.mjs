// The default theme with the system's fonts: no fonts are loaded.
import { h, nextTick, onMounted, watch } from 'vue';
import { useRoute } from 'vitepress';
import theme from 'vitepress/theme-without-fonts';
import { HeroDemo } from './hero-demo.mjs';
import './readable.css';

/** The home page has no `<main>`. */
function markMain() {
  const content = document.querySelector('#VPContent');
  if (content?.classList.contains('is-home')) content.setAttribute('role', 'main');
  else content?.removeAttribute('role');
}

/** Runs on each navigation. */
function useMain() {
  const route = useRoute();
  onMounted(markMain);
  watch(
    () => route.path,
    () => nextTick(markMain),
  );
}

const Layout = () => h(theme.Layout, null, { 'home-hero-image': () => h(HeroDemo) });

export default {
  extends: theme,
  Layout,
  setup: useMain,
};
