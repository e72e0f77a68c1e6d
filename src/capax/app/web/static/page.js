// The theme, before anything is drawn, so that nothing flashes; its switch, the share button, Alt+1 to Alt+9 for the
// pages, hovering in pictures that come later, and which puzzles are solved.
window.capaxNight=function(){const now=localStorage.getItem('capax-theme')||'auto';
const night=now==='auto'?matchMedia('(prefers-color-scheme: dark)').matches:now==='dark';
document.documentElement.classList.toggle('cx-night',night)};
capaxNight();
window.capaxTheme=function(next){
const names=['auto','light','dark'];let now=localStorage.getItem('capax-theme')||'auto';
if(next){now=names[(names.indexOf(now)+1)%3];localStorage.setItem('capax-theme',now)}
capaxNight();Quasar.Dark.set(now==='auto'?'auto':now==='dark');
for(const b of document.querySelectorAll('.cx-theme')){b.textContent={auto:'auto',light:'light',dark:'dark'}[now];
b.setAttribute('aria-label','colours: '+now+', press to change')}};
window.capaxShare=function(button){
const done=()=>{button.textContent='copied';setTimeout(()=>button.textContent='share',1500)};
if(navigator.clipboard)navigator.clipboard.writeText(location.href).then(done,()=>prompt('The link:',location.href));
else prompt('The link:',location.href)};
document.addEventListener('click',e=>{const t=e.target.closest&&e.target.closest('.cx-theme,.cx-share');
if(!t)return;t.classList.contains('cx-theme')?capaxTheme(true):capaxShare(t)});
document.addEventListener('keydown',e=>{if(!e.altKey||e.ctrlKey||e.metaKey)return;const k=+e.key;
const tabs=document.querySelectorAll('.cx-tabs a');if(k>=1&&k<=tabs.length){e.preventDefault();tabs[k-1].click()}});
new MutationObserver(()=>{for(const v of document.querySelectorAll('.cx-wake[data-html]')){
v.innerHTML=v.dataset.html;v.removeAttribute('data-html');
for(const p of v.querySelectorAll('.capax-view'))capaxPicture(p.id)}
for(const b of document.querySelectorAll('.cx-theme'))if(!b.textContent)capaxTheme(false);
}).observe(document,{childList:true,subtree:true});
window.addEventListener('load',()=>{capaxTheme(false);
const here=document.querySelector('.cx-tabs a[aria-current=page]');
if(here)here.scrollIntoView({inline:'center',block:'nearest'})});
window.capaxLink=address=>history.replaceState({},'',address);
window.capaxSee=selector=>document.querySelector(selector)?.scrollIntoView({block:'start',behavior:'smooth'});
window.capaxSolved=function(name){let kept={};
try{kept=JSON.parse(localStorage.getItem('capax-puzzles')||'{}')}catch{}
if(name){kept[name]={...kept[name],solved:true};localStorage.setItem('capax-puzzles',JSON.stringify(kept))}
for(const one of document.querySelectorAll('[data-puzzle]'))one.classList.toggle('cx-solved',!!kept[one.dataset.puzzle]?.solved)};
