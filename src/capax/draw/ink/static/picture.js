function(name){
for(const view of document.querySelectorAll('[id="'+name+'"]')){
if(view.capaxReady)continue;view.capaxReady=true;
const {grids,arrows}=JSON.parse(view.querySelector('script[type="application/json"]').textContent);
const tip=view.querySelector('.capax-tip');
const layers=[...view.querySelectorAll('g.layer')];
const label=view.querySelector('.capax-steps span');
let current=null;
const show=k=>{current=k;
layers.forEach((g,i)=>g.classList.toggle('capax-later',k!==null&&i>k));
view.querySelectorAll('g.wires').forEach(g=>
g.classList.toggle('capax-later',k!==null&&+g.dataset.layer>+layers[k].dataset.layer));
if(label)label.textContent=k===null?'':k===0?'before the first layer':'layer '+layers[k].dataset.layer;
if(k!==null)layers[k].scrollIntoView({block:'nearest'})};
const step=d=>{if(!layers.length)return;
if(d===0)return show(null);
if(current===null)return show(d>0?0:layers.length-1);
show(Math.max(0,Math.min(layers.length-1,current+d)))};
view.querySelectorAll('.capax-steps button').forEach(b=>b.addEventListener('click',()=>step(+b.dataset.step)));
const keys=e=>{const d={ArrowRight:1,ArrowLeft:-1,Escape:0}[e.key];
if(d===undefined||e.altKey||e.ctrlKey||e.metaKey||e.shiftKey)return;e.preventDefault();e.stopPropagation();step(d)};
(document.body.children.length===1&&view.parentNode===document.body?document:view).addEventListener('keydown',keys);
const weight=(g,i,j)=>{let row=g.rows[i];if(typeof row==='number')row=g.rows[row];
if(g.kind==='selected'||g.kind==='average'){let all=0,hit=0;
row.forEach((count,k)=>{if(j>=0&&(j-=count)<0)hit=k%2;all+=k%2*count});
return hit&&(g.kind==='average'?1/all:1)}
for(let k=0;k<row.length;k++){j-=row[k]<0?-row[k++]:1;if(j<0)return row[k]/1e4}return 0};
const at=(rows,k)=>rows.filter(r=>r[1].length).map(r=>r[0]+' = '+r[1][k]).join(', ');
const words=(g,i,j)=>{const w=weight(g,i,j);
if(g.step>1){const r=k=>k*g.step+'–'+(Math.min(g.size,(k+1)*g.step)-1);
return 'queries '+r(i)+'\nkeys '+r(j)+'\n'+(g.kind==='weights'?'mean weight '+w:(100*w).toPrecision(3)+'% selected')}
const lines=['query '+i+': '+at(g.queries,i),'key '+j+': '+at(g.keys,j)];
if(g.kind==='weights')lines.push('weight '+w);
else if(!w)lines.push('not selected');
else{lines.push(g.kind==='average'?'selected, weight 1/'+Math.round(1/w):g.counts?'selected, counted':'selected');
if(g.values.length)lines.push('value: '+at(g.values,j))}
if(g.outputs.length)lines.push('output: '+at(g.outputs,i));
return lines.join('\n')};
const place=e=>{tip.hidden=false;const r=tip.getBoundingClientRect();
tip.style.left=Math.max(4,Math.min(e.clientX+14,innerWidth-r.width-4))+'px';
tip.style.top=Math.max(4,e.clientY+18+r.height>innerHeight?e.clientY-r.height-10:e.clientY+18)+'px'};
view.querySelectorAll('g.grid').forEach(box=>{const g=grids[+box.dataset.grid],n=g.rows.length;
const well=box.querySelector('rect');
box.addEventListener('mousemove',e=>{const r=well.getBoundingClientRect();
const j=Math.min(n-1,Math.max(0,Math.floor((e.clientX-r.left)/r.width*n)));
const i=Math.min(n-1,Math.max(0,Math.floor((e.clientY-r.top)/r.height*n)));
tip.textContent=words(g,i,j);place(e)});
box.addEventListener('mouseleave',()=>{tip.hidden=true})});
const picture=view.querySelector('svg'),named=[...view.querySelectorAll('[data-row]')];
const light=test=>{picture.querySelectorAll('.capax-lit').forEach(p=>p.remove());
if(test)for(const [from,to,line] of arrows)if(test(from,to)){
const p=document.createElementNS('http://www.w3.org/2000/svg','path');
p.setAttribute('class','capax-lit');p.setAttribute('d',line);picture.appendChild(p)}};
const over=(t,on,off)=>{t.addEventListener('mouseenter',on);t.addEventListener('mouseleave',off)};
const same=(item,on)=>named.forEach(o=>o.classList.toggle('capax-same',on&&o.dataset.row===item));
named.forEach(t=>{const item=t.dataset.row;
over(t,()=>{same(item,true);light((from,to)=>from===item||to===item)},()=>{same(item,false);light(null)})});
view.querySelectorAll('path[data-from]').forEach(p=>over(p,()=>light(from=>from===p.dataset.from),()=>light(null)));
view.querySelectorAll('path[data-to]').forEach(p=>over(p,()=>light((from,to)=>to===p.dataset.to),()=>light(null)));
}}
