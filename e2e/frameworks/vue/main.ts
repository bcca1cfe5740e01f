import { createApp } from 'vue';
import { define } from '../loader';
import App from './app.vue';

define();
createApp(App).mount('#app');
