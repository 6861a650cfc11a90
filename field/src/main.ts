/** Starts the page: the texts of the visitor's language, what the site says of itself, then the app. */
import { mount } from 'svelte';
import App from './App.svelte';
import { loadSite } from './site.js';
import { chooseLanguage } from './texts.svelte.js';
import '../../styles/base.css';
import './style.css';

const target = document.getElementById('app')!;
await chooseLanguage(navigator.languages);
const site = await loadSite();
target.replaceChildren();
mount(App, { target, props: { site } });
