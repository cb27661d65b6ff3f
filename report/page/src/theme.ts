// Light or dark: the system's choice until the user makes one.
import {make, setText} from './dom';

const dark = matchMedia('(prefers-color-scheme: dark)');

const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark';

export function themeButton(changed: () => void): HTMLElement {
  const button = make('button', {type: 'button', id: 'theme'});
  const label = () => {
    setText(button, isDark() ? 'Light' : 'Dark');
    button.setAttribute('aria-label', `Use ${isDark() ? 'light' : 'dark'} colours`);
  };
  button.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    label();
    changed();
  });
  dark.addEventListener('change', () => {
    label();
    changed();
  });
  label();
  return button;
}
