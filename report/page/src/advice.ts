// What would save most of the run: lint's findings in the code that takes most of it.
import {make, panel, placeLink, setAttributes} from './dom';
import {percent, quantity} from './format';
import type {Advice, Profile} from './contract';

const MOST = 5;

export class AdviceList {
  readonly element = panel('advice', 'What would save most');
  private list = make('ol', {class: 'advice'});
  private key = '';

  constructor(private go: (place: string) => void) {
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

  private item(of: Advice): HTMLElement {
    const colon = of.message.lastIndexOf(': ');
    const what = of.message.slice(0, Math.max(0, colon)), remedy = of.message.slice(colon < 0 ? 0 : colon + 2);
    const saves = [...(of.saved_j ? [`−${quantity(of.saved_j, 'J', 3)}`] : []), ...(of.saved_s ? [`−${quantity(of.saved_s, 's', 3)}`] : [])].join(', ');
    return make('li', {},
      make('span', {class: 'saves', 'data-value': of.saved_j ?? of.saved_s}, saves || `a part of ${percent(of.share)}`),
      make('div', {}, make('p', {}, remedy, ', ', placeLink(of.at, this.go, of.at.slice(of.at.lastIndexOf('/') + 1))),
           make('p', {class: 'quiet'}, `${what ? `${what} ` : ''}[${of.rule}]`)));
  }
}
