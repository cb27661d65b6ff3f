// What would save most of the run: lint's findings in the code that takes most of it.
import {make, panel, placeLink, setAttributes} from './dom';
import {percent, quantity} from './format';
import type {Advice, Profile, Program} from './contract';

const MOST = 5;

export class AdviceList {
  readonly element = panel('advice', 'What would save most');
  private list = make('ol', {class: 'advice'});
  private key = '';

  constructor(private program: Program, private go: (place: string) => void) {
    this.element.append(this.list);
    this.element.hidden = true;
  }

  /// Out of sight where nothing is found.
  show(profile: Profile | null) {
    const found = profile?.advice ?? [], key = JSON.stringify(found);
    if (key === this.key)
      return;
    this.key = key;
    this.element.hidden = !found.length;
    this.list.replaceChildren(...found.slice(0, MOST).map(each => this.item(each)));
    setAttributes(this.list, {'aria-label': `${found.length} findings, the ${Math.min(MOST, found.length)} that would save most`});
  }

  /// The place as the page has its file: that of the function, where the names are the same.
  private placeOf(of: Advice): string {
    const [, path, position] = /^(.*?)(:\d+(?::\d+)?)$/.exec(of.at) ?? ['', of.at, ''];
    const file = this.program.functions.find(({name}) => name === of.function)?.file ?? path;
    const last = (text: string) => text.slice(text.lastIndexOf('/') + 1);
    return (last(file) === last(path) ? file : path) + position;
  }

  private item(of: Advice): HTMLElement {
    const at = this.placeOf(of);
    const colon = of.message.lastIndexOf(': ');
    const what = of.message.slice(0, Math.max(0, colon)), remedy = of.message.slice(colon < 0 ? 0 : colon + 2);
    const saves = [...(of.saved_j ? [`−${quantity(of.saved_j, 'J', 3)}`] : []), ...(of.saved_s ? [`−${quantity(of.saved_s, 's', 3)}`] : [])].join(', ');
    return make('li', {},
      make('span', {class: 'saves', 'data-value': of.saved_j ?? of.saved_s}, saves || `a part of ${percent(of.share)}`),
      make('div', {}, make('p', {}, remedy, ', ', placeLink(at, this.go, at.slice(at.lastIndexOf('/') + 1))),
           make('p', {class: 'quiet'}, `${what ? `${what} ` : ''}[${of.rule}]`)));
  }
}
